import { setImmediate as nextTurn } from 'node:timers/promises';
import { PrivateNats } from '@svc/testing';
import { PlaceWishes } from './place-wishes.service';

it('says nothing over a connection that is being closed: whoever wishes then is about to end', async () => {
  const nats = await PrivateNats.start();
  const messaging = await nats.connectAs('dispatch');
  const wishes = new PlaceWishes(messaging);
  wishes.listen(() => undefined);
  let isOver = false;
  const drained = messaging.connection.drain().finally(() => (isOver = true));
  while (!isOver) {
    wishes.say('offer', 1);
    await nextTurn();
  }
  await drained;
  await nats.close();
});
