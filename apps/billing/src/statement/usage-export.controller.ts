import { Controller, Inject } from '@nestjs/common';
import { USAGE_EXPORT } from '@svc/contracts';
import { toErrorPayload } from '@svc/errors';
import { HandleMessages, RpcClient, errorHeaders, isInbox, notJson, unfitRequest } from '@svc/messaging';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { databaseAway } from '@svc/persistence';
import { compileValidator } from '@svc/validation';
import type { Msg } from 'nats';
import { UsageExportService } from './usage-export.service';

const validate = compileValidator(USAGE_EXPORT.request);

/** An export is answered with many messages, so it is no ordinary call; its refusals look like one's. */
@Controller()
export class UsageExportController {
  constructor(
    private readonly exports: UsageExportService,
    private readonly rpc: RpcClient,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @HandleMessages(USAGE_EXPORT.subject, { queue: USAGE_EXPORT.queue })
  export(message: Msg): void {
    void this.answer(message);
  }

  private async answer(message: Msg): Promise<void> {
    const { reply } = message;
    if (reply === undefined || !isInbox(reply)) return;
    try {
      await this.exports.send(readRequest(message), reply);
    } catch (error) {
      const refusal = databaseAway(error);
      const payload = toErrorPayload(refusal ?? error);
      if (refusal || payload.code === 'internal_error') this.logger.error({ err: error }, 'export failed');
      const headers = errorHeaders(payload.code);
      this.rpc.publisher.publish(reply, JSON.stringify(payload), { headers });
    }
  }
}

function readRequest(message: Msg) {
  let input: unknown;
  try {
    input = message.json();
  } catch {
    throw notJson();
  }
  const result = validate(input);
  if (result.ok) return result.value;
  throw unfitRequest(result.problem);
}
