// The bare way's plan: always the same. `node planner.mjs NATS UPSTREAM`
import { link, read } from './link.mjs';

const [, , nats, upstream] = process.argv;
const { origin } = new URL(upstream);
const { answer } = await link(nats, 'planner');
await answer('plan', (data) => JSON.stringify({ id: read(data).id, attempts: [{ origin }] }));
console.log('ready');
process.stdin.on('end', () => process.exit()).resume();
