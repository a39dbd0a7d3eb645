import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { BodyCollector } from './body-collector';

const KIB = 1024;
const MIB = 1024 * KIB;

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
    return this.bringPiece(Buffer.alloc(kib * KIB));
  }

  /** As Node does: a piece of each chunk by itself. */
  bringPiece(piece: Buffer): this {
    this.message.emit('data', piece);
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

describe('a body in many pieces', () => {
  const memory = () => {
    setFlagsFromString('--expose-gc');
    (runInNewContext('gc') as () => void)();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };

  it('takes hardly more memory than it holds, however small they are', () => {
    collector = new BodyCollector({ limitBytes: MIB, maxCollectedBytes: MIB });
    const before = memory();
    const upload = new Upload();
    for (let byte = 0; byte < 100 * KIB; byte++) upload.bringPiece(Buffer.allocUnsafeSlow(1));
    expect(memory() - before).toBeLessThan(MIB);
    expect(upload.end().outcomes).toEqual([100]);
  });

  it('is whole, in their order', () => {
    const message = new IncomingMessage(new Socket());
    const whole: string[] = [];
    const never = () => expect(true).toBe(false);
    collector.collect(message, {
      whole: (bytes) => whole.push(bytes.toString()),
      tooLarge: never,
      crowdedOut: never,
    });
    for (const piece of ['{"a"', ':', '1}']) message.emit('data', Buffer.from(piece));
    message.emit('end');
    expect(whole).toEqual(['{"a":1}']);
  });
});
