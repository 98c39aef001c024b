'use strict';
// What nginx and HAProxy pass requests on to: node origin.js [MILLISECONDS], the shortest time an answer takes.
const http = require('node:http');
const { started, work } = require('./started');

const shortest = Number(process.argv[2] ?? 0);
const server = http.createServer(async (request, response) => {
  await new Promise((resolve) => setTimeout(resolve, shortest));
  await work();
  response.end('hello');
});
server.listen(0, '127.0.0.1', 4096, () => started(server));
