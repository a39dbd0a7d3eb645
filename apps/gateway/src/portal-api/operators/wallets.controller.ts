import { Controller, Get, Param, Post, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiQuery, ApiResponse } from '@nestjs/swagger';
import { billingContracts } from '@svc/contracts';
import type { WalletSummary } from '@svc/contracts';
import { usdcOf } from '@svc/money';
import { ErrorResponse } from '@svc/openai-api';
import { compileValidator } from '@svc/validation';
import type { FastifyRequest } from 'fastify';
import { EXAMPLE_WALLET, readAddress } from '../../fields/address';
import { readBody, readFields } from '../../http/read-body';
import { ServiceClient } from '../../messaging/service-client';
import { PortalSession } from '../sessions/session';
import type { Session } from '../sessions/session';
import { Act, readJudgement } from './judgement.dto';
import { OperatorsOnly } from './operators-only';
import { WalletPageReply, WalletsQuery } from './wallets.dto';
import type { WalletSummaryReply } from './wallets.dto';

const readQuery = compileValidator(WalletsQuery);
const Wallet = () => ApiParam({ name: 'wallet', type: String, example: EXAMPLE_WALLET });

@OperatorsOnly()
@Controller('portal/api/operators/wallets')
export class OperatorWalletsController {
  constructor(private readonly billing: ServiceClient) {}

  @Get()
  @ApiOperation({ summary: 'Lists wallets that buy', operationId: 'listWallets' })
  @ApiQuery({ type: WalletsQuery })
  @ApiOkResponse({ type: WalletPageReply })
  @ApiResponse({ status: 400, type: ErrorResponse, description: '`invalid_request`; `param` is the field' })
  async list(@Req() request: FastifyRequest): Promise<WalletPageReply> {
    const { search, cursor, limit } = readFields(request.query, readQuery);
    const asked = {
      ...(search !== undefined && { search: search.toLowerCase() }),
      ...(cursor !== undefined && { after: cursor }),
      ...(limit !== undefined && { limit: Number(limit) }),
    };
    const { wallets, next } = await this.billing.call(billingContracts.listWallets, asked, request.id);
    return { wallets: wallets.map(summaryCard), next };
  }

  @Post(':wallet/suspend')
  @Wallet()
  @Act('Suspends a wallet', 'suspendWallet', 'None of its keys can begin a request; what runs is finished.')
  async suspend(
    @Param('wallet') wallet: string,
    @PortalSession() { wallet: actor }: Session,
    @Req() request: FastifyRequest,
  ): Promise<void> {
    const act = { wallet: readAddress(wallet), actor, ...readBody(request, readJudgement) };
    await this.billing.call(billingContracts.suspendWallet, act, request.id);
  }

  @Post(':wallet/reinstate')
  @Wallet()
  @Act(
    'Lets a wallet spend again',
    'reinstateWallet',
    'One whose debts could not be pulled stays suspended for that until it has paid.',
  )
  async reinstate(
    @Param('wallet') wallet: string,
    @PortalSession() { wallet: actor }: Session,
    @Req() request: FastifyRequest,
  ): Promise<void> {
    const act = { wallet: readAddress(wallet), actor, ...readBody(request, readJudgement) };
    await this.billing.call(billingContracts.reinstateWallet, act, request.id);
  }
}

function summaryCard({ suspension, ...wallet }: WalletSummary): WalletSummaryReply {
  return {
    wallet: wallet.wallet,
    registered_at: wallet.registeredAt,
    suspension: suspension && {
      suspended_at: suspension.suspendedAt,
      reason: suspension.reason,
      pull_failed_at: suspension.pullFailedAt,
    },
    limit_usdc: usdcOf(wallet.limit),
    charged_usdc: usdcOf(wallet.charged),
    held_usdc: usdcOf(wallet.held),
    unsettled_usdc: usdcOf(wallet.unsettled),
  };
}
