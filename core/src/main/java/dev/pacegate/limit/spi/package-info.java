/** What a limit of your own implements; nobody who only uses limits needs it. */
package dev.pacegate.limit.spi;
