/** Delivery at a limited pace: an executor, and a queue with a target. */
package dev.pacegate.dispatch;
