import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { eventually } from '@svc/testing';
import { connectedTo } from '../testing/connected-to.for-spec';
import { MOST_WAITING, PipelinedRequests } from './pipelined-requests';

const MANY = 30;

describe('requests that are sent ahead', () => {
  let server: Server;
  let client: Socket;
  let came: number;
  let begun: ServerResponse[];
  let refused: number;
  let received: string;

  beforeEach(async () => {
    const pipelined = new PipelinedRequests();
    [came, begun, refused, received] = [0, [], 0, ''];
    server = createServer(({ socket }, raw) => {
      came++;
      const begin = () => begun.push(raw);
      if (raw.socket !== null) begin();
      else if (!pipelined.queue(raw, socket, begin)) refused++;
    });
    client = await connectedTo(server);
    client.on('data', (chunk: Buffer) => (received += chunk.toString()));
  });
  afterEach(() => {
    client.destroy();
    server.close();
  });

  const ask = async (times: number) => {
    const soFar = came;
    client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(times));
    await eventually(() => came === soFar + times);
  };

  it('are begun one after the other, when those before are answered', async () => {
    await ask(MANY);
    for (let at = 0; at < MANY; at++) {
      await eventually(() => begun.length === at + 1);
      begun[at]?.end(`<${at}>`);
    }
    await eventually(() => received.includes(`<${MANY - 1}>`));
    expect(received.match(/<\d+>/g)).toEqual(begun.map((_, at) => `<${at}>`));
  });

  it('are never begun when their connection ends before', async () => {
    await ask(MANY);
    begun[0]?.write('a part');
    await eventually(() => received.includes('a part'));
    const closed = once(begun[0] as ServerResponse, 'close');
    client.destroy();
    await closed;
    await new Promise(setImmediate);
    expect(begun).toHaveLength(1);
  });

  it('are closed with their connection when there are too many of them', async () => {
    await ask(1 + MOST_WAITING);
    expect(refused).toBe(0);
    client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(MANY));
    await eventually(() => refused === MANY);
    expect([begun.length, begun[0]?.req.socket.destroyed]).toEqual([1, true]);
  });

  it('may be one more for each that is begun', async () => {
    await ask(1 + MOST_WAITING);
    begun[0]?.end();
    await eventually(() => begun.length === 2);
    await ask(1);
    expect(refused).toBe(0);
    await ask(1);
    expect(refused).toBe(1);
  });

  it('may be as many again once these are answered', async () => {
    for (let round = 0; round < 2; round++) {
      await ask(1 + MOST_WAITING);
      for (let at = 0; at <= MOST_WAITING; at++) {
        const index = round * (1 + MOST_WAITING) + at;
        await eventually(() => begun.length > index);
        begun[index]?.end();
      }
    }
    expect(refused).toBe(0);
  });
});
