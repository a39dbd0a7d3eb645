// The least that a gateway on this stack can be: Fastify takes the request, undici asks the upstream, the reply is passed back. It
// checks nothing, counts nothing and bills nobody. `node bare-proxy.mjs UPSTREAM` prints its URL.
import Fastify from 'fastify';
import { Agent } from 'undici';

const upstream = new Agent({ pipelining: 1 });
const { origin } = new URL(process.argv[2]);
const app = Fastify({ logger: false });
app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
  done(null, body),
);
app.post('/v1/chat/completions', async (request, reply) => {
  const { statusCode, headers, body } = await upstream.request({
    origin,
    path: request.url,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: request.body,
  });
  const length = headers['content-length'];
  if (length !== undefined) void reply.header('content-length', length);
  return reply.code(statusCode).header('content-type', headers['content-type']).send(body);
});
console.log(await app.listen({ host: '127.0.0.1', port: 0 }));
process.stdin.on('end', () => process.exit()).resume();
