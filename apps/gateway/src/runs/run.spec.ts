import { RUN_SILENCE_MS, encodeFrame } from '@svc/contracts';
import type { FrameType } from '@svc/contracts';
import { internalError, noCapacity } from '@svc/errors';
import { headers } from 'nats';
import { Run } from './run';
import type { RunRole } from './run';

const SERVING = 'disp0001';
const STARTED_MS = 500;

/** A run, and in order what it said: to its client, to dispatch, and of its hold. */
function setUp(role: RunRole) {
  const said: string[] = [];
  const heard: string[] = [];
  const say =
    (what: string) =>
    (...details: unknown[]) =>
      void said.push([what, ...details].join(' '));
  const run = new Run(
    { holdId: 'req_1', wallet: '0x' },
    {
      data: (payload) => say('data')(payload.toString()),
      end: (payload) => say('end')(payload.toString()),
      fail: ({ code, goesOn }) => say(goesOn ? 'goes on' : 'fail')(code),
      tick: () => undefined,
    },
    {
      heard: (instanceId) => void heard.push(instanceId),
      cancel: say('cancel'),
      detach: say('detach'),
      delivered: (instanceId, requestId) => say('delivered')(requestId, 'to', instanceId),
      letGo: ({ holdId }, reason, code) => say('let go')(holdId, reason, code ?? 'untold'),
      over: say('over'),
    },
    STARTED_MS,
    role,
  );
  let next = 0;
  const frame = (type: FrameType, payload = '', sequence = next, instanceId = SERVING) => {
    next = sequence + 1;
    run.take({ data: encodeFrame({ type, sequence, instanceId, payload }) });
  };
  return { run, said, heard, frame };
}

/** Everything that may still happen to a run. */
function goOn({ run, frame }: ReturnType<typeof setUp>): void {
  for (const type of ['data', 'end', 'failure'] as const) frame(type);
  run.clientGone();
  run.lose('nats_lost');
  run.giveUp(noCapacity('x').payload, 'shutdown');
  run.tick(10 * RUN_SILENCE_MS);
}

const ROLES = ['sole', 'originator', 'follower'] as const;

describe('a run', () => {
  it.each(ROLES)('gives its client one outcome, whatever comes after it (%s)', (role) => {
    const delivered = role === 'sole' ? [`delivered req_1 to ${SERVING}`] : [];
    const served = setUp(role);
    served.frame('accepted');
    served.frame('data', 'a');
    served.frame('end', 'b');
    goOn(served);
    expect(served.said).toEqual(['data a', ...delivered, 'over', 'end b']);

    const failed = setUp(role);
    failed.frame('failure', JSON.stringify(noCapacity('x').payload));
    goOn(failed);
    expect(failed.said).toEqual([...delivered, 'over', 'fail no_capacity']);
  });

  it.each([
    ['is missing', (run: ReturnType<typeof setUp>) => run.frame('data', 'b', 3)],
    ['comes twice', (run: ReturnType<typeof setUp>) => run.frame('data', 'a', 1)],
    ['is of another instance', (run: ReturnType<typeof setUp>) => run.frame('data', 'b', 2, 'disp0002')],
    ['is none', ({ run }: ReturnType<typeof setUp>) => run.take({ data: Buffer.from('x') })],
  ])('fails, and lets its hold go, when a frame %s', (_, disturb) => {
    const parts = setUp('sole');
    parts.frame('accepted');
    parts.frame('data', 'a');
    disturb(parts);
    goOn(parts);
    expect(parts.said).toEqual([
      'data a',
      'over',
      'let go req_1 lost_frames no_capacity',
      'cancel req_1',
      'fail no_capacity',
    ]);
  });

  it.each([
    ['sole', [`delivered req_1 to ${SERVING}`]],
    ['originator', []],
  ] as const)(
    'lets its hold go when dispatch says no more than that something went wrong (%s)',
    (role, delivered) => {
      for (const payload of [JSON.stringify(internalError().payload), 'no error']) {
        const parts = setUp(role);
        parts.frame('failure', payload);
        goOn(parts);
        expect(parts.said).toEqual([
          ...delivered,
          'over',
          'let go req_1 internal_error internal_error',
          'fail internal_error',
        ]);
      }
    },
  );

  it('lets no hold go that another request holds', () => {
    const { said, frame } = setUp('follower');
    frame('failure', JSON.stringify(internalError().payload));
    expect(said).toEqual(['over', 'fail internal_error']);
  });

  it('fails at once when nobody listens', () => {
    const { run, said } = setUp('sole');
    run.take({ data: new Uint8Array(), headers: headers(503, 'No Responders') });
    expect(said).toEqual([
      'over',
      'let go req_1 no_dispatch no_capacity',
      'cancel req_1',
      'fail no_capacity',
    ]);
  });

  it('has the instance that works on it watched from its first word on', () => {
    const { run, heard, frame } = setUp('sole');
    frame('accepted');
    frame('data', 'a');
    expect(heard).toEqual([SERVING]);
    expect(run.instanceId).toBe(SERVING);
  });

  it('fails when it was not heard of for as long as dispatch may be silent, and not before', () => {
    const { run, said, frame } = setUp('sole');
    frame('accepted');
    run.tick(1_000);
    frame('data', 'a');
    run.tick(5_000);
    run.tick(4_999 + RUN_SILENCE_MS);
    expect(said).toEqual(['data a']);
    run.tick(5_000 + RUN_SILENCE_MS);
    expect(said.slice(1)).toEqual([
      'over',
      'let go req_1 silence no_capacity',
      'cancel req_1',
      'fail no_capacity',
    ]);
  });
});

describe('a run whose client is gone', () => {
  it('is cancelled, and what it costs is dispatch’s word: its hold is not let go of', () => {
    const { run, said, frame } = setUp('sole');
    frame('accepted');
    run.clientGone();
    run.clientGone();
    // Nobody reads these.
    frame('data', 'a');
    frame('data', 'c', 7);
    frame('end', 'd');
    expect(said).toEqual(['cancel req_1', `delivered req_1 to ${SERVING}`, 'over']);
  });

  it.each<[string, (run: Run) => void]>([
    ['after 30 s', (run) => run.tick(30_000)],
    ['when dispatch is lost', (run) => run.lose('dispatch_lost')],
    ['when this gateway leaves', (run) => run.giveUp(noCapacity('x').payload, 'shutdown')],
  ])('is cancelled again %s without a word of its end, and forgotten', (_, lose) => {
    const { run, said, frame } = setUp('sole');
    frame('accepted');
    run.tick(0);
    run.clientGone();
    run.tick(29_999);
    expect(said).toEqual(['cancel req_1']);
    lose(run);
    expect(said).toEqual(['cancel req_1', 'cancel req_1', 'over']);
  });

  it.each(['sole', 'originator'] as const)('lets its hold go when nobody took it up (%s)', (role) => {
    const { run, said } = setUp(role);
    run.clientGone();
    run.tick(STARTED_MS + 2_999);
    expect(said).not.toContain('over');
    run.tick(STARTED_MS + 3_000);
    const cancel = role === 'sole' ? ['cancel req_1'] : [];
    expect(said).toEqual([...cancel, 'over', 'let go req_1 not_accepted untold', 'cancel req_1']);
  });

  it.each(['sole', 'originator'] as const)(
    'lets its hold go when contact is lost before anybody took it up (%s)',
    (role) => {
      const { run, said } = setUp(role);
      run.clientGone();
      run.lose('nats_lost');
      const cancel = role === 'sole' ? ['cancel req_1'] : [];
      expect(said).toEqual([...cancel, 'over', 'let go req_1 nats_lost untold', 'cancel req_1']);
    },
  );

  it('goes on without it, once it was taken up, under an idempotency key', () => {
    const taken = setUp('originator');
    taken.frame('accepted');
    taken.run.clientGone();
    expect(taken.said).toEqual(['over', 'detach']);

    const untaken = setUp('originator');
    untaken.run.clientGone();
    expect(untaken.said).toEqual([]);
    untaken.frame('accepted');
    expect(untaken.said).toEqual(['over', 'detach']);
  });
});

describe('a run under an idempotency key', () => {
  it.each(['nats_lost', 'lost_frames', 'shutdown'])(
    'goes on when only this gateway lost it: %s',
    (reason) => {
      const { run, said, frame } = setUp('originator');
      frame('accepted');
      run.lose(reason);
      expect(said).toEqual(['over', 'detach', 'goes on no_capacity']);
    },
  );

  it('is not said to have cost nothing when this gateway leaves before its end', () => {
    const { run, said, frame } = setUp('originator');
    frame('accepted');
    run.giveUp(noCapacity('Nothing was charged.').payload, 'shutdown');
    expect(said).toEqual(['over', 'detach', 'goes on no_capacity']);
  });

  it.each(['silence', 'dispatch_lost'])('lets its hold go when dispatch may have lost it: %s', (reason) => {
    const { run, said, frame } = setUp('originator');
    frame('accepted');
    run.lose(reason);
    expect(said.slice(0, 3)).toEqual(['over', `let go req_1 ${reason} no_capacity`, 'cancel req_1']);
  });

  it('lets its hold go when nobody is known to have taken it up', () => {
    const { run, said } = setUp('originator');
    run.lose('nats_lost');
    expect(said.slice(0, 3)).toEqual(['over', 'let go req_1 nats_lost no_capacity', 'cancel req_1']);
  });

  it.each<[string, (run: Run) => void]>([
    ['nobody is heard in time', (run) => run.tick(STARTED_MS + 3_000)],
    ['this gateway leaves', (run) => run.giveUp(noCapacity('Nothing was charged.').payload, 'shutdown')],
  ])('is not said to have cost nothing when %s: whoever runs it may have ended it unheard', (_, giveUp) => {
    const { run, said } = setUp('originator');
    giveUp(run);
    expect(said.at(-1)).toBe('goes on no_capacity');
  });

  it('has cost nothing when there is nobody to run it', () => {
    const { run, said } = setUp('originator');
    run.take({ data: Buffer.alloc(0), headers: headers(503, 'No Responders') });
    expect(said.at(-1)).toBe('fail no_capacity');
  });

  it.each(['nats_lost', 'silence', 'dispatch_lost', 'shutdown'])(
    'is never ended by who only follows it: %s',
    (reason) => {
      const { run, said, frame } = setUp('follower');
      frame('accepted');
      run.lose(reason);
      expect(said).toEqual(['over', 'detach', 'goes on no_capacity']);
    },
  );
});
