'use strict';
// express with express-rate-limit: node express.js legacy|draft-6|draft-7|draft-8 LIMIT/MILLISECONDS...
const express = require('express');
const { rateLimit } = require('express-rate-limit');
const { started, work } = require('./started');

const [headers, ...limits] = process.argv.slice(2);
const legacy = headers === 'legacy';
const app = express();
for (const text of limits) {
  const [limit, windowMs] = text.split('/').map(Number);
  app.use(rateLimit({ limit, windowMs, legacyHeaders: legacy, standardHeaders: legacy ? false : headers }));
}
app.get('/', async (request, response) => {
  await work();
  response.send('hello');
});
const server = app.listen(0, '127.0.0.1', () => started(server, 'express', 'express-rate-limit'));
