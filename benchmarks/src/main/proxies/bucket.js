'use strict';
// A sidecar as a team might write it: node bucket.js UPSTREAM_PORT PER_SECOND. Requests wait, first in, first out, for a
// token bucket without a burst, and are then sent on. A queue that is full refuses.
const http = require('node:http');

const [port, perSecond] = process.argv.slice(2).map(Number);
const capacity = 1;
const mostWaiting = 1000;
const agent = new http.Agent({ keepAlive: true });
const ownHeaders = ['connection', 'keep-alive', 'transfer-encoding', 'upgrade'];

const queue = [];
let tokens = capacity;
let filled = performance.now();
let timer = null;

function fill() {
  const now = performance.now();
  tokens = Math.min(capacity, tokens + ((now - filled) / 1000) * perSecond);
  filled = now;
}

function release() {
  timer = null;
  fill();
  while (queue.length > 0 && tokens >= 1) {
    tokens -= 1;
    forward(queue.shift());
  }
  if (queue.length > 0) {
    timer = setTimeout(release, Math.ceil(((1 - tokens) / perSecond) * 1000));
  }
}

function passing(headers) {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !ownHeaders.includes(name)));
}

function forward({ request, response }) {
  const { method, url: path } = request;
  const sent = http.request({ agent, host: '127.0.0.1', port, method, path, headers: passing(request.headers) });
  sent.on('response', (answer) => {
    response.writeHead(answer.statusCode, passing(answer.headers));
    answer.pipe(response);
  });
  sent.on('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end()));
  request.pipe(sent);
}

const server = http.createServer((request, response) => {
  if (queue.length >= mostWaiting) {
    response.writeHead(429).end();
    return;
  }
  const entry = { request, response };
  queue.push(entry);
  response.on('close', () => {
    const place = queue.indexOf(entry);
    if (place >= 0) queue.splice(place, 1);
  });
  if (timer === null) release();
});
server.listen(0, '127.0.0.1', 4096, () => {
  console.log(JSON.stringify({ port: server.address().port, versions: { Node: process.version.slice(1) } }));
});
