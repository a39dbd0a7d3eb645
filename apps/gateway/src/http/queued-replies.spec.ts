import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { eventually } from '@svc/testing';
import { MOST_QUEUED, QueuedReplies } from './queued-replies';

const MANY = 30;

describe('replies that wait behind another one of their connection', () => {
  let server: Server;
  let client: Socket;
  let replies: ServerResponse[];
  let closes: ServerResponse[];
  let received: string;
  let refused: number;

  beforeEach(async () => {
    const queued = new QueuedReplies();
    [replies, closes, received, refused] = [[], [], '', 0];
    server = createServer(({ socket }, raw) => {
      replies.push(raw);
      if (raw.socket !== null || queued.watch(raw, socket)) raw.on('close', () => closes.push(raw));
      // Its close is nobody's to wait for: Node 24 tells it, Node 20 does not.
      else refused++;
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.on('data', (chunk: Buffer) => (received += chunk.toString()));
  });
  afterEach(() => {
    client.destroy();
    server.close();
  });

  const ask = async (times: number) => {
    const soFar = replies.length;
    client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(times));
    await eventually(() => replies.length === soFar + times);
  };

  it('close with it, each once', async () => {
    await ask(MANY);
    // What was answered or given up before its turn has not reached the client either.
    replies[1]?.end('early');
    replies[2]?.destroy();
    client.destroy();
    await eventually(() => closes.length >= MANY);
    await new Promise(setImmediate);
    expect(closes).toHaveLength(MANY);
    expect(new Set(closes).size).toBe(MANY);
    expect(replies.every(({ destroyed }) => destroyed)).toBe(true);
  });

  it('come whole in their turn, and close once', async () => {
    await ask(MANY);
    for (const [at, raw] of [...replies.entries()].reverse()) raw.end(`<${at}>`);
    await eventually(() => closes.length >= MANY);
    await eventually(() => received.includes(`<${MANY - 1}>`));
    expect(received.match(/<\d+>/g)).toEqual(replies.map((_, at) => `<${at}>`));
    const connection = replies[0]?.req.socket;
    client.destroy();
    await eventually(() => connection?.closed);
    await new Promise(setImmediate);
    expect(closes).toHaveLength(MANY);
  });

  it('are closed with their connection when there are too many of them', async () => {
    await ask(1 + MOST_QUEUED);
    expect(refused).toBe(0);
    client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(MANY));
    await eventually(() => closes.length === 1 + MOST_QUEUED);
    expect([refused, replies[0]?.req.socket.destroyed]).toEqual([MANY, true]);
  });

  it('are heard of by one listener a connection', async () => {
    await ask(2);
    const connection = replies[0]?.req.socket;
    const listeners = connection?.listenerCount('close');
    await ask(MANY);
    for (const raw of replies) raw.end();
    await eventually(() => closes.length === MANY + 2);
    await ask(2);
    expect(connection?.listenerCount('close')).toBe(listeners);
  });
});
