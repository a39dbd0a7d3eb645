// The bare way's run: asks the upstream, settles, then answers. `node runner.mjs NATS`
import { Agent } from 'undici';
import { link, read } from './link.mjs';

const COST = 1;

const { ask, answer } = await link(process.argv[2], 'runner');
const upstream = new Agent({ pipelining: 1 });
await answer('run', async (data) => {
  const { id, wallet, held, path, attempts, order } = read(data);
  const { body } = await upstream.request({
    origin: attempts[0].origin,
    path,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(order),
  });
  const completion = JSON.parse(await body.text());
  await ask('settle', JSON.stringify({ id, wallet, held, cost: COST }));
  return JSON.stringify({ ...completion, svc: { cost: COST } });
});
console.log('ready');
process.stdin.on('end', () => process.exit()).resume();
