'use strict';
// koa with koa-ratelimit, in memory: node koa.js MAX MILLISECONDS
const Koa = require('koa');
const ratelimit = require('koa-ratelimit');
const { started, work } = require('./started');

const [max, duration] = process.argv.slice(2).map(Number);
const app = new Koa();
app.use(ratelimit({ driver: 'memory', db: new Map(), max, duration }));
app.use(async (context) => {
  await work();
  context.body = 'hello';
});
const server = app.listen(0, '127.0.0.1', () => started(server, 'koa', 'koa-ratelimit'));
