'use strict';
// fastify with @fastify/rate-limit: node fastify.js MAX MILLISECONDS
const fastify = require('fastify');
const rateLimit = require('@fastify/rate-limit');
const { started, work } = require('./started');

async function main() {
  const [max, timeWindow] = process.argv.slice(2).map(Number);
  const app = fastify();
  await app.register(rateLimit, { max, timeWindow });
  app.get('/', async () => {
    await work();
    return 'hello';
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  started(app.server, 'fastify', '@fastify/rate-limit');
}

main();
