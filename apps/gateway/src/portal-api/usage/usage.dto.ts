import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { CHAIN_JOB_STATES, TOKEN_SOURCES, USAGE_OUTCOMES } from '@svc/contracts';
import type { ChainJobState, UsageOutcome } from '@svc/contracts';
import { ERROR_CODES } from '@svc/errors';
import { ReceiptDocument } from '../../receipts/receipt.dto';

const USDC = { example: '0.000450', description: 'USDC with six decimals.' } as const;
const MAYBE_TEXT = { oneOf: [{ type: 'string' }, { type: 'null' }] };
const MAYBE_COUNT = { oneOf: [{ type: 'integer' }, { type: 'null' }] };

/** A request of the wallet: what was used, never what was said. */
export class UsageRequestReply {
  @ApiProperty({ example: 'req_0123456789' })
  request_id!: string;

  @ApiProperty({
    description: 'When it was charged, or failed; UTC.',
    example: '2026-11-21T06:00:00.000000Z',
  })
  created_at!: string;

  @ApiProperty({
    enum: USAGE_OUTCOMES,
    description: '`unserved`: it was admitted, came to nothing and cost nothing.',
  })
  outcome!: UsageOutcome;

  @ApiProperty({ example: 'key_0123456789' })
  key_id!: string;

  @ApiProperty({
    description: 'That served; of an unserved request, that was asked for.',
    example: 'svc/demo@1',
  })
  model!: string;

  @ApiProperty({ ...MAYBE_TEXT, description: 'Whoever served.' })
  provider!: string | null;

  @ApiProperty(MAYBE_COUNT)
  prompt_tokens!: number | null;

  @ApiProperty(MAYBE_COUNT)
  completion_tokens!: number | null;

  @ApiProperty(USDC)
  charged_usdc!: string;

  @ApiProperty({ ...MAYBE_COUNT, description: 'From the beginning of the work on it to the first token.' })
  first_token_ms!: number | null;

  @ApiProperty({ ...MAYBE_COUNT, description: 'From there to its end.' })
  total_ms!: number | null;

  @ApiProperty({ ...MAYBE_COUNT, description: 'Offers that were tried.' })
  attempts!: number | null;

  @ApiProperty({ ...MAYBE_TEXT, example: 'stop' })
  finish_reason!: string | null;

  @ApiProperty({ description: 'It was served after its hold had ended: the platform paid.' })
  late!: boolean;

  @ApiProperty({ description: 'The whole charge was given back.' })
  refunded!: boolean;

  @ApiProperty({
    ...MAYBE_TEXT,
    description: 'Why nobody served it: an error code, `cancelled`, `expired`, or another word.',
  })
  reason!: string | null;

  @ApiProperty({
    oneOf: [{ type: 'string', enum: Object.keys(ERROR_CODES) }, { type: 'null' }],
    description: 'What its client was told; null when it was told nothing.',
  })
  error_code!: string | null;
}

export class UsageListReply {
  @ApiProperty({ enum: ['list'] })
  object!: 'list';

  @ApiProperty({ type: () => [UsageRequestReply], description: 'The newest first.' })
  data!: UsageRequestReply[];

  @ApiProperty({ ...MAYBE_TEXT, description: '`cursor` of the next page; null on the last.' })
  next!: string | null;
}

/** An offer that the request's plan named. */
export class RouteStepReply {
  @ApiProperty({ example: 'ofr_0123456789abcdef0123456789abcdef' })
  offer_id!: string;

  @ApiProperty({ description: 'Why it was in the plan.' })
  why!: string;

  @ApiProperty({
    description: '`served`; why the attempt failed; `stopped`, `not_tried`, or `passed_over` by the plan.',
  })
  outcome!: string;
}

export class RefundReply {
  @ApiProperty(USDC)
  amount_usdc!: string;

  @ApiProperty()
  reason!: string;

  @ApiProperty()
  created_at!: string;
}

/** How a request's charge stands on chain. */
export class RequestSettlement {
  @ApiProperty({
    enum: ['nothing', 'waiting', ...CHAIN_JOB_STATES],
    description:
      '`nothing` to settle; `waiting` for a batch; the batch was `signed`, is `mined` at the chain’s head, or `settled` at ' +
      'the safe depth.',
  })
  state!: 'nothing' | 'waiting' | ChainJobState;

  @ApiProperty(MAYBE_TEXT)
  batch_id!: string | null;

  @ApiProperty({ ...MAYBE_TEXT, description: 'The batch’s transaction.' })
  tx_hash!: string | null;

  @ApiProperty(MAYBE_TEXT)
  settled_at!: string | null;
}

/** Everything that is known of one request. Prompts and completions are not kept. */
@ApiExtraModels(ReceiptDocument, RefundReply, RouteStepReply)
export class UsageDetailReply extends UsageRequestReply {
  @ApiProperty(MAYBE_TEXT)
  offer_id!: string | null;

  @ApiProperty({
    oneOf: [{ type: 'string', enum: [...TOKEN_SOURCES] }, { type: 'null' }],
  })
  token_source!: string | null;

  @ApiProperty({ ...MAYBE_TEXT, description: 'Base units (10^-6 USDC) per million tokens.' })
  input_price_per_mtok!: string | null;

  @ApiProperty({ ...MAYBE_TEXT, description: 'Base units (10^-6 USDC) per million tokens.' })
  output_price_per_mtok!: string | null;

  @ApiProperty({ ...USDC, description: 'The most that it could have cost; USDC with six decimals.' })
  held_usdc!: string;

  @ApiProperty({
    oneOf: [{ type: 'array', items: { $ref: getSchemaPath(RouteStepReply) } }, { type: 'null' }],
    description: 'In the plan’s order, then what it passed over; null when it is not known.',
  })
  route!: RouteStepReply[] | null;

  @ApiProperty({ oneOf: [{ $ref: getSchemaPath(RefundReply) }, { type: 'null' }] })
  refund!: RefundReply | null;

  @ApiProperty({ type: RequestSettlement })
  settlement!: RequestSettlement;

  @ApiProperty({
    oneOf: [{ $ref: getSchemaPath(ReceiptDocument) }, { type: 'null' }],
    description:
      'As `GET /v1/receipts/{id}` shows it; null when nothing was charged, or for a moment after the charge.',
  })
  receipt!: ReceiptDocument | null;
}
