'use strict';
// express with rate-limiter-flexible, its headers as its README has them: node flexible.js POINTS SECONDS
const express = require('express');
const { RateLimiterMemory } = require('rate-limiter-flexible');
const { started, work } = require('./started');

const [points, duration] = process.argv.slice(2).map(Number);
const limiter = new RateLimiterMemory({ points, duration });
const app = express();
app.use(async (request, response, next) => {
  let result;
  let allowed = true;
  try {
    result = await limiter.consume(request.ip);
  } catch (refusal) {
    result = refusal;
    allowed = false;
  }
  response.set({
    'X-RateLimit-Limit': String(points),
    'X-RateLimit-Remaining': String(result.remainingPoints),
    'X-RateLimit-Reset': String(Math.ceil((Date.now() + result.msBeforeNext) / 1000)),
  });
  if (allowed) {
    next();
  } else {
    response.set('Retry-After', String(result.msBeforeNext / 1000)).status(429).send('too many');
  }
});
app.get('/', async (request, response) => {
  await work();
  response.send('hello');
});
const server = app.listen(0, '127.0.0.1', () => started(server, 'express', 'rate-limiter-flexible'));
