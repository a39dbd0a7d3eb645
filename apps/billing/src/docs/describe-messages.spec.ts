import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SETTLEMENT_QUEUE, USAGE_EXPORT, billingContracts } from '@svc/contracts';
import Ajv from 'ajv';
import { MessageSurface } from './describe-messages';
import type { AsyncApiDocument } from './describe-messages';

let document: AsyncApiDocument;
beforeAll(() => {
  document = JSON.parse(JSON.stringify(new MessageSurface().describe())) as AsyncApiDocument;
});

function referencesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) =>
    key === '$ref' ? [child as string] : referencesIn(child),
  );
}

function at(pointer: string): unknown {
  return pointer
    .slice(2)
    .split('/')
    .reduce<unknown>((value, part) => (value as Record<string, unknown> | undefined)?.[part], document);
}

describe('the AsyncAPI document', () => {
  it('is the committed one (npm run asyncapi writes it)', () => {
    const committed = readFileSync(join(__dirname, '../../../../docs/asyncapi.json'), 'utf8');
    expect(JSON.parse(committed)).toEqual(document);
  });

  it('is AsyncAPI 3.0 and refers to nothing that is not there', () => {
    expect(document.asyncapi).toBe('3.0.0');
    expect(document.info).toMatchObject({
      title: expect.any(String) as string,
      version: expect.any(String) as string,
    });
    const references = referencesIn(document);
    expect(references.length).toBeGreaterThan(100);
    for (const reference of references) expect([reference, at(reference)]).not.toContain(undefined);
  });

  it('has one operation for each subject, its messages among those of its channel', () => {
    const subjects = Object.values(billingContracts).map(({ subject }) => subject);
    const addresses = Object.values(document.operations).map(
      ({ channel }) => (at(channel.$ref) as { address: string }).address,
    );
    expect([...addresses].sort()).toEqual(
      [
        ...subjects,
        USAGE_EXPORT.subject,
        SETTLEMENT_QUEUE.deferSubject,
        SETTLEMENT_QUEUE.releaseSubject,
      ].sort(),
    );
    for (const { action, channel, messages, reply } of Object.values(document.operations)) {
      expect(action).toBe('receive');
      for (const { $ref } of messages) expect($ref.startsWith(`${channel.$ref}/messages/`)).toBe(true);
      for (const { $ref } of reply?.messages ?? []) expect($ref).toMatch(/^#\/channels\/replies\/messages\//);
      if (reply) expect((at(reply.channel.$ref) as { address: null }).address).toBeNull();
    }
  });

  it('says what else a message may look like: with others in one, or in the queue', () => {
    const gathered = Object.keys(document.operations).filter((id) => document.operations[id]?.description);
    expect(gathered).toEqual(['admitHold', 'settleHold']);
    for (const id of ['deferSettlement', 'releaseHold']) {
      expect(document.components.messages[`${id}.request`]?.headers).toMatchObject({
        required: ['Nats-Msg-Id'],
      });
    }
  });

  it('has a word on every operation', () => {
    const silent = Object.entries(document.operations).filter(([, { summary }]) => !summary);
    expect(silent.map(([id]) => id)).toEqual([]);
  });

  it('has schemas that compile, with a word on every field of a statement that is not plain', () => {
    const ajv = new Ajv({ strict: false, formats: { 'date-time': true } });
    ajv.addSchema({ $id: 'doc', components: document.components });
    for (const name of Object.keys(document.components.schemas)) {
      expect(() => ajv.compile({ $ref: `doc#/components/schemas/${name}` })).not.toThrow();
    }
    expect(document.components.schemas.StatementPosition?.description).toContain(
      'available + held + unsettled',
    );
    expect(document.components.schemas.SummariseUsageRequest).toMatchObject({
      required: ['by', 'wallet'],
      properties: { limit: { type: 'integer', minimum: 1, maximum: 500 } },
    });
  });
});
