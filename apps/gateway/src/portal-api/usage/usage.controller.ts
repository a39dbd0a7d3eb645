import { Readable } from 'node:stream';
import { Controller, Get, Header, Param, Req, Res, UseGuards, UseInterceptors } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import { ErrorResponse } from '@svc/openai-api';
import { compileValidator } from '@svc/validation';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RefusedReads } from '../../fields/refusals';
import { readFields } from '../../http/read-body';
import { SafeJsonInterceptor } from '../../http/safe-json.interceptor';
import { PortalSessionGuard } from '../sessions/portal-session.guard';
import { PortalSession } from '../sessions/session';
import type { Session } from '../sessions/session';
import { NeedsSession } from '../sessions/session-refusals';
import { UsageExportsService } from './usage-exports.service';
import { UsageExportQuery, UsageListQuery, UsageSummaryQuery } from './usage-query.dto';
import { UsageRequestsService } from './usage-requests.service';
import { UsageSummaryReply } from './usage-summary.dto';
import { UsageSummaryService } from './usage-summary.service';
import { UsageDetailReply, UsageListReply } from './usage.dto';

const readSummaryQuery = compileValidator(UsageSummaryQuery);
const readListQuery = compileValidator(UsageListQuery);
const readExportQuery = compileValidator(UsageExportQuery);
const BAD_QUERY = {
  status: 400,
  type: ErrorResponse,
  description: '`invalid_request`; `param` is the field',
} as const;

/** What the wallet that is signed in has used. */
@ApiTags('Portal')
@NeedsSession()
@UseGuards(PortalSessionGuard)
@Controller('portal/api')
export class UsageController {
  constructor(
    private readonly summaries: UsageSummaryService,
    private readonly requests: UsageRequestsService,
    private readonly exports: UsageExportsService,
  ) {}

  @Get('usage/summary')
  @Header('cache-control', 'no-store')
  @UseInterceptors(SafeJsonInterceptor)
  @ApiOperation({
    summary: 'Sums the wallet’s usage over time',
    operationId: 'summariseUsage',
    description:
      'By model, key or provider, the six that cost most each by itself. Requests are counted that were admitted; what was refused before ' +
      'anything was held for it (a wrong key, no balance, nobody who could serve) is not kept.',
  })
  @ApiQuery({ type: UsageSummaryQuery })
  @ApiOkResponse({ type: UsageSummaryReply })
  @ApiResponse(BAD_QUERY)
  @RefusedReads()
  summarise(
    @PortalSession() { wallet }: Session,
    @Req() request: FastifyRequest,
  ): Promise<UsageSummaryReply> {
    return this.summaries.summarise(wallet, readFields(request.query, readSummaryQuery), request.id);
  }

  @Get('usage')
  @Header('cache-control', 'no-store')
  @UseInterceptors(SafeJsonInterceptor)
  @ApiOperation({ summary: 'Lists the wallet’s requests', operationId: 'listUsage' })
  @ApiQuery({ type: UsageListQuery })
  @ApiOkResponse({ type: UsageListReply })
  @ApiResponse(BAD_QUERY)
  @RefusedReads()
  list(@PortalSession() { wallet }: Session, @Req() request: FastifyRequest): Promise<UsageListReply> {
    return this.requests.list(wallet, readFields(request.query, readListQuery), request.id);
  }

  @Get('usage.csv')
  @ApiOperation({
    summary: 'Exports the wallet’s requests as CSV',
    operationId: 'exportUsage',
    description:
      'All that `GET /portal/api/usage` would list, as RFC 4180 has it. Text that a spreadsheet would take for a formula has an apostrophe ' +
      'in front. One export of a wallet at a time.',
  })
  @ApiQuery({ type: UsageExportQuery })
  @ApiResponse({
    status: 200,
    content: { 'text/csv': { schema: { type: 'string' } } },
    description: 'The file.',
  })
  @ApiResponse(BAD_QUERY)
  @RefusedReads()
  async export(
    @PortalSession() { wallet }: Session,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const query = readFields(request.query, readExportQuery);
    // Of HEAD, Fastify would read the whole of it to throw it away.
    const stream = request.method === 'HEAD' ? Readable.from([]) : await this.exports.start(wallet, query);
    void reply
      .header('content-type', 'text/csv; charset=utf-8; header=present')
      .header('content-disposition', `attachment; filename="${fileName(query)}"`)
      .header('cache-control', 'no-store')
      .send(stream);
  }

  @Get('usage/:request_id')
  @Header('cache-control', 'no-store')
  @UseInterceptors(SafeJsonInterceptor)
  @ApiOperation({
    summary: 'Shows one request of the wallet',
    operationId: 'showUsage',
    description:
      'With its way along the plan, its receipt and how its charge stands on chain. Prompts and completions are not kept.',
  })
  @ApiParam({ name: 'request_id', type: String })
  @ApiOkResponse({ type: UsageDetailReply })
  @ApiResponse({
    status: 404,
    type: ErrorResponse,
    description: '`invalid_request`: the wallet has no such request',
  })
  @RefusedReads()
  show(
    @PortalSession() { wallet }: Session,
    @Param('request_id') id: string,
    @Req() request: FastifyRequest,
  ): Promise<UsageDetailReply> {
    return this.requests.show(wallet, id, request.id);
  }
}

/** `usage-2026-11-01-to-2026-12-01.csv`; both ends have been read as times. */
function fileName({ from, to }: UsageExportQuery): string {
  const day = (time: string | undefined) => time?.slice(0, 10);
  const parts = ['usage', day(from), to === undefined ? undefined : `to-${day(to)}`];
  return `${parts.filter((part) => part !== undefined).join('-')}.csv`;
}
