import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { BodyCollector } from './body-collector';

const KIB = 1024;

let collector: BodyCollector;
beforeEach(() => {
  collector = new BodyCollector({ limitBytes: 200 * KIB, maxCollectedBytes: 300 * KIB });
});

/** A body that comes as the test says, and what has become of it. */
class Upload {
  readonly outcomes: unknown[] = [];
  private readonly message = new IncomingMessage(new Socket());

  constructor() {
    collector.collect(this.message, {
      whole: (bytes) => this.outcomes.push(bytes.length / KIB),
      tooLarge: () => this.outcomes.push('too large'),
      crowdedOut: () => this.outcomes.push('crowded out'),
    });
  }

  static of(kib: number): Upload {
    return new Upload().bring(kib);
  }

  bring(kib: number): this {
    this.message.emit('data', Buffer.alloc(kib * KIB));
    return this;
  }

  end(): this {
    this.message.emit('end');
    return this;
  }

  /** All of it comes in one piece. */
  static atOnce(kib: number): Upload {
    const upload = new Upload();
    upload.message.headers['content-length'] = String(kib * KIB);
    return upload.bring(kib).end();
  }

  breakOff(): void {
    this.message.emit('close');
  }
}

describe('the room for bodies that have not come whole', () => {
  it('is taken from the one that has not come on for the longest, however much it holds', () => {
    const coming = Upload.of(20);
    const stalled = [Upload.of(140), Upload.of(10), Upload.of(100)];
    coming.bring(40).bring(100).end();
    expect(coming.outcomes).toEqual([160]);
    expect(stalled.map(({ outcomes }) => outcomes)).toEqual([['crowded out'], [], []]);
    expect(stalled[2]?.bring(50).end().outcomes).toEqual([150]);
  });

  it('is not kept with a little now and then', () => {
    const dripping = Upload.of(150);
    const coming = Upload.of(100);
    for (let kib = 0; kib < 15; kib++) dripping.bring(1);
    coming.bring(50).end();
    expect([dripping.outcomes, coming.outcomes]).toEqual([['crowded out'], [150]]);
  });

  it('is there for bodies that come at once while others stall', () => {
    const stalled = [Upload.of(150), Upload.of(150)];
    expect(Upload.atOnce(1).outcomes).toEqual([1]);
    expect(stalled.map(({ outcomes }) => outcomes)).toEqual([['crowded out'], []]);
  });

  it.each([
    ['came whole', (upload: Upload) => void upload.end()],
    ['is too large', (upload: Upload) => void upload.bring(51)],
    ['breaks off', (upload: Upload) => upload.breakOff()],
  ])('comes back from one that %s', (_, leave) => {
    const others = Upload.of(100);
    for (let times = 0; times < 5; times++) leave(Upload.of(150));
    expect(others.outcomes).toEqual([]);
  });

  it('is not there for a body that is larger than all of it', () => {
    collector = new BodyCollector({ limitBytes: 200 * KIB, maxCollectedBytes: 100 * KIB });
    expect(Upload.atOnce(101).outcomes[0]).toBe('crowded out');
    expect(Upload.of(60).bring(41).outcomes).toEqual(['crowded out']);
    expect(Upload.atOnce(100).outcomes).toEqual([100]);
  });
});
