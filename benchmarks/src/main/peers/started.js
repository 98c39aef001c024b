'use strict';
const fs = require('node:fs');
const path = require('node:path');

const seconds = 1000;
const longestWork = 20; // milliseconds

/** Prints the port of a server that listens, and the versions of Node and of the packages that serve, as JSON. */
exports.started = function started(server, ...packages) {
  server.keepAliveTimeout = 120 * seconds; // a connection that is closed while a request is on its way is another test
  const versions = { Node: process.version.slice(1) };
  for (const name of packages) {
    const file = path.join(__dirname, 'node_modules', name, 'package.json');
    versions[name] = JSON.parse(fs.readFileSync(file, 'utf8')).version;
  }
  console.log(JSON.stringify({ port: server.address().port, versions }));
};

/** Ends after a random time: the work that an answer takes. The times are the same in every run. */
exports.work = function work() {
  return new Promise((resolve) => setTimeout(resolve, longestWork * random()));
};

let state = 20261122;

/** The generator mulberry32. */
function random() {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}
