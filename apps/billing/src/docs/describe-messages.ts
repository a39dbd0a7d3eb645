import {
  ReleaseHoldRequest,
  SETTLEMENT_QUEUE,
  SettleHoldRequest,
  USAGE_EXPORT,
  billingContracts,
} from '@svc/contracts';
import { ERROR_CODES } from '@svc/errors';
import { ERROR_CODE_HEADER } from '@svc/messaging';
import { ContractTypes } from './contract-types';
import { addRequestSchema } from './request-schema';
import type { JsonSchema, Schemas } from './json-schema';

interface Message {
  name: string;
  contentType?: string;
  summary?: string;
  headers?: JsonSchema;
  payload: JsonSchema;
}

interface Reference {
  $ref: string;
}

interface Operation {
  action: 'receive';
  channel: Reference;
  summary: string | undefined;
  description?: string;
  messages: Reference[];
  bindings?: { nats: { queue: string; bindingVersion: string } };
  reply?: { channel: Reference; messages: Reference[] };
}

/** An AsyncAPI 3.0 document (https://www.asyncapi.com/docs/reference/specification/v3.0.0). */
export interface AsyncApiDocument {
  asyncapi: string;
  info: Record<string, unknown>;
  defaultContentType: string;
  servers: Record<string, unknown>;
  channels: Record<
    string,
    { address: string | null; description?: string; messages: Record<string, Reference> }
  >;
  operations: Record<string, Operation>;
  components: {
    schemas: Schemas;
    messages: Record<string, Message>;
    securitySchemes: Record<string, unknown>;
  };
}

/** Every reply goes to the inbox that the request names: one channel, without an address of its own. */
const REPLIES = 'replies';
const ERROR = 'Error';

const callHeaders: JsonSchema = {
  type: 'object',
  properties: {
    'Svc-Request-Id': { type: 'string', description: 'For logs.' },
    'Svc-Deadline': {
      type: 'string',
      description:
        'Unix milliseconds after which nobody waits for the answer. What comes half a second later is refused, with `Svc-Clock` on the ' +
        'refusal: the clock by which it did. Whoever still waits may send it again, by that clock; nothing was done.',
    },
    traceparent: { type: 'string', description: 'W3C trace context.' },
  },
};

const queueHeaders: JsonSchema = {
  type: 'object',
  properties: { 'Nats-Msg-Id': { type: 'string', description: 'By it the stream drops repeats.' } },
  required: ['Nats-Msg-Id'],
};

/** Of calls that may travel together (libs/messaging, gathered-calls). */
const GATHERED =
  'Calls that a process makes in one turn may share a message: `[[deadline, request id | null, traceparent | null, request], …]`. The ' +
  'answers are `[[index, 0, reply] | [index, 1, error], …]`, in one message or several, each call once. An error has a fourth part, the ' +
  'clock, where the call came too late by it.';

/** Billing's NATS API, made from its contracts: requests from the rules they are checked with, replies from their types. */
export class MessageSurface {
  private readonly types = new ContractTypes();
  private readonly document: AsyncApiDocument = emptyDocument();

  describe(): AsyncApiDocument {
    for (const [id, contract] of Object.entries(billingContracts)) {
      const request = this.addRequest(id, contract.subject, contract.request, contract);
      if (contract.gathered) request.description = GATHERED;
      const payload = this.types.addReplySchema(this.document.components.schemas, 'billingContracts', id);
      request.reply = this.reply([this.addMessage({ name: `${id}.reply`, payload }), ERROR]);
    }
    this.describeExport();
    this.describeQueue();
    sortKeys(this.document.components.schemas);
    return this.document;
  }

  private describeQueue(): void {
    const { stream, deferSubject, releaseSubject } = SETTLEMENT_QUEUE;
    const queued = { headers: queueHeaders };
    this.addRequest('deferSettlement', deferSubject, SettleHoldRequest, queued).summary =
      `Dispatch's, into the JetStream work queue ${stream}: applied once, whenever billing is there.`;
    this.addRequest('releaseHold', releaseSubject, ReleaseHoldRequest, queued).summary =
      `The gateway's, into the JetStream work queue ${stream}: likewise, but a post that comes by it is refused.`;
  }

  private describeExport(): void {
    const { subject, request, queue, ack, stop, windowChunks } = USAGE_EXPORT;
    const { sequenceHeader, rowsHeader, presenceHeader } = USAGE_EXPORT;
    const operation = this.addRequest('exportUsage', subject, request, { queue });
    const sequence: JsonSchema = {
      type: 'string',
      pattern: '^[0-9]+$',
      description: 'From 0; a gap is a lost chunk.',
    };
    const chunk = this.addMessage({
      name: 'exportUsage.chunk',
      contentType: 'text/csv',
      summary: `At most ${windowChunks} are on their way. Answer each with \`${ack}\` for one more, or with \`${stop}\` to end the export.`,
      headers: { type: 'object', properties: { [sequenceHeader]: sequence }, required: [sequenceHeader] },
      payload: {
        type: 'string',
        description: 'Lines of CSV (RFC 4180); the first chunk begins with the names.',
      },
    });
    const rows: JsonSchema = {
      type: 'string',
      pattern: '^[0-9]+$',
      description: 'How many rows there were.',
    };
    const end = this.addMessage({
      name: 'exportUsage.end',
      contentType: 'text/csv',
      headers: {
        type: 'object',
        properties: { [sequenceHeader]: sequence, [rowsHeader]: rows },
        required: [sequenceHeader, rowsHeader],
      },
      payload: { type: 'string', maxLength: 0 },
    });
    const presence = this.addMessage({
      name: 'exportUsage.presence',
      contentType: 'text/csv',
      summary:
        'Comes while nothing else does, and wants no answer: the server tells billing when nobody is there to get it.',
      headers: {
        type: 'object',
        properties: { [presenceHeader]: { type: 'string' } },
        required: [presenceHeader],
      },
      payload: { type: 'string', maxLength: 0 },
    });
    operation.reply = this.reply([chunk, end, presence, ERROR]);
  }

  private addRequest(
    id: string,
    subject: string,
    Class: new () => object,
    { queue, headers = callHeaders }: { queue?: string; headers?: JsonSchema },
  ): Operation {
    const { channels, operations, components } = this.document;
    const payload = addRequestSchema(components.schemas, Class, this.types);
    const name = `${id}.request`;
    components.messages[name] = { name, headers, payload };
    channels[id] = { address: subject, messages: { request: { $ref: `#/components/messages/${name}` } } };
    operations[id] = {
      action: 'receive',
      channel: { $ref: `#/channels/${id}` },
      summary: this.types.of(Class.name),
      messages: [{ $ref: `#/channels/${id}/messages/request` }],
      ...(queue !== undefined && { bindings: { nats: { queue, bindingVersion: '0.1.0' } } }),
    };
    return operations[id];
  }

  private addMessage(message: Message): string {
    const { channels, components } = this.document;
    components.messages[message.name] = message;
    const replies = channels[REPLIES];
    if (replies) replies.messages[message.name] = { $ref: `#/components/messages/${message.name}` };
    return message.name;
  }

  private reply(names: readonly string[]): Operation['reply'] {
    return {
      channel: { $ref: `#/channels/${REPLIES}` },
      messages: names.map((name) => ({ $ref: `#/channels/${REPLIES}/messages/${name}` })),
    };
  }
}

function emptyDocument(): AsyncApiDocument {
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'svc billing',
      version: '1',
      description:
        'What billing answers over NATS. Amounts are base units (10^-6 USDC) as decimal strings, times ISO 8601 in UTC. Who may ask ' +
        'what is said by the NATS users of deploy/nats/nats.conf; internal teams are the user `internal`, whose inboxes begin with ' +
        '`_INBOX.internal`.',
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    defaultContentType: 'application/json',
    servers: {
      nats: {
        host: 'nats:4222',
        protocol: 'nats',
        security: [{ $ref: '#/components/securitySchemes/user' }],
      },
    },
    channels: {
      [REPLIES]: {
        address: null,
        description: 'The reply subject that the request carries.',
        messages: { [ERROR]: { $ref: `#/components/messages/${ERROR}` } },
      },
    },
    operations: {},
    components: {
      schemas: { ErrorPayload: errorSchema },
      messages: {
        [ERROR]: {
          name: ERROR,
          headers: {
            type: 'object',
            properties: { [ERROR_CODE_HEADER]: { type: 'string', enum: Object.keys(ERROR_CODES) } },
            required: [ERROR_CODE_HEADER],
          },
          payload: { $ref: '#/components/schemas/ErrorPayload' },
        },
      },
      securitySchemes: { user: { type: 'userPassword' } },
    },
  };
}

const errorSchema: JsonSchema = {
  type: 'object',
  description: 'Instead of a reply, told by its header.',
  properties: {
    code: { type: 'string', enum: Object.keys(ERROR_CODES) },
    message: { type: 'string' },
    param: { type: 'string', description: 'The JSON path of the field that is wrong.' },
    status: { type: 'integer', description: 'HTTP status where it differs from the code’s usual one.' },
    retryAfterSeconds: { type: 'integer' },
  },
  required: ['code', 'message'],
};

function sortKeys(schemas: Schemas): void {
  const sorted = Object.entries(schemas).sort(([one], [other]) => (one < other ? -1 : 1));
  for (const [name, schema] of sorted) {
    delete schemas[name];
    schemas[name] = schema;
  }
}
