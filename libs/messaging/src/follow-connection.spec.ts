import { DebugEvents, Events } from 'nats';
import type { NatsConnection, Status } from 'nats';
import { followConnection } from './follow-connection';

/** A connection of which these are told, one after the other, before it is closed. */
function connectionWith(...types: Status['type'][]) {
  async function* status(): AsyncGenerator<Status> {
    for (const type of types) yield await Promise.resolve({ type, data: '' });
  }
  return { status } as unknown as NatsConnection;
}

/** Long enough for everything that waits for nobody outside. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('followConnection', () => {
  it('tells of each loss and each return, and of nothing else', async () => {
    const told: string[] = [];
    const { LDM, Disconnect, Reconnect } = Events;
    followConnection(connectionWith(LDM, Disconnect, DebugEvents.Reconnecting, Reconnect, Disconnect), {
      onLost: () => told.push('lost'),
      onBack: () => void told.push('back'),
    });
    await settled();
    expect(told).toEqual(['lost', 'back', 'lost']);
  });

  it('tells what comes next when what was to happen is done', async () => {
    const told: string[] = [];
    let finish: () => void = () => undefined;
    followConnection(connectionWith(Events.Reconnect, Events.Disconnect), {
      onLost: () => told.push('lost'),
      onBack: () => {
        told.push('back');
        return new Promise<void>((resolve) => (finish = resolve));
      },
    });
    await settled();
    expect(told).toEqual(['back']);
    finish();
    await settled();
    expect(told).toEqual(['back', 'lost']);
  });

  it('passes over what nobody wants to know', async () => {
    const told: string[] = [];
    followConnection(connectionWith(Events.Disconnect, Events.Reconnect), {
      onBack: () => void told.push('back'),
    });
    await settled();
    followConnection(connectionWith(Events.Disconnect, Events.Reconnect), {
      onLost: () => told.push('lost'),
    });
    await settled();
    expect(told).toEqual(['back', 'lost']);
  });
});
