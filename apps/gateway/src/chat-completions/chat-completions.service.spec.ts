import type { FastifyReply, FastifyRequest } from 'fastify';
import { ChatCompletionsService } from './chat-completions.service';

describe('ChatCompletionsService', () => {
  it('lets go of the body once it was read: the request stays as long as its reply', async () => {
    const value = { model: 'svc/demo@1', messages: [{ role: 'user', content: 'Hello' }] };
    const request = {
      id: 'req_1',
      headers: {},
      raw: { headers: {} },
      record: {},
      body: () => ({ ok: true, value }),
    };
    const run = jest.fn();
    const place = jest.fn((body: object) => {
      expect(request.body).toBeUndefined();
      return { ...body, stream: false };
    });
    const completions = new ChatCompletionsService(
      {
        assertHeardOf: () => Promise.resolve(),
        isShort: () => false,
        held: () => undefined,
      } as never,
      { place } as never,
      {
        plan: () => Promise.resolve({ attempts: [] }),
        amountOf: () => 1n,
        hold: () => Promise.resolve({ state: 'held' }),
      } as never,
      { run } as never,
      {} as never,
    );
    const reply = { hijack: () => undefined } as unknown as FastifyReply;
    await completions.serve(request as unknown as FastifyRequest, reply, 'key');
    expect(place).toHaveBeenCalledWith(expect.objectContaining({ model: 'svc/demo@1' }));
    expect(run).toHaveBeenCalledTimes(1);
  });
});
