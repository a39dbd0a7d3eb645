// The bare way's door: asks for a plan, a hold and a run. `node edge.mjs NATS` prints its URL.
import Fastify from 'fastify';
import { link, read } from './link.mjs';

const HELD = 100;

const { ask } = await link(process.argv[2], 'edge');
const app = Fastify({ logger: false });
app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
  done(null, body),
);
let requests = 0;
app.post('/v1/chat/completions', async (request, reply) => {
  const order = JSON.parse(request.body);
  const id = `req_${String(requests++).padStart(12, '0')}`;
  const { attempts } = read(await ask('plan', JSON.stringify({ id, model: order.model })));
  const { wallet } = read(await ask('hold', JSON.stringify({ id, amount: HELD })));
  const run = { id, wallet, held: HELD, path: request.url, attempts, order };
  const completion = Buffer.from(await ask('run', JSON.stringify(run)));
  return reply.code(200).header('content-type', 'application/json').send(completion);
});
console.log(await app.listen({ host: '127.0.0.1', port: 0 }));
process.stdin.on('end', () => process.exit()).resume();
