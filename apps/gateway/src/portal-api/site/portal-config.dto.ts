import { ApiProperty } from '@nestjs/swagger';

export class PortalChain {
  @ApiProperty({ example: 31_337 })
  id!: number;

  @ApiProperty({ example: 'Local chain' })
  name!: string;

  @ApiProperty({
    oneOf: [{ type: 'string' }, { type: 'null' }],
    description: 'A server of the chain that browsers may ask.',
  })
  rpc_url!: string | null;

  @ApiProperty({ description: 'The token that is spent.' })
  usdc!: string;

  @ApiProperty({ description: 'The contract that wallets approve.' })
  settlement!: string;

  @ApiProperty({ oneOf: [{ type: 'string' }, { type: 'null' }] })
  explorer_url!: string | null;

  @ApiProperty({ description: 'A development chain: what is on it is worth nothing.' })
  is_local!: boolean;

  @ApiProperty({ description: 'Whether the token gives itself to whoever asks (`faucet(address,uint256)`).' })
  faucet!: boolean;
}

/** An account whose key everybody knows, for visitors without a wallet; on a development chain only. */
export class DevelopmentWallet {
  @ApiProperty({ example: 'Buyer' })
  label!: string;

  @ApiProperty()
  private_key!: string;

  @ApiProperty({ description: 'With its checksum (EIP-55).' })
  address!: string;
}

/** What the page has to know before anybody is signed in. */
export class PortalConfigReply {
  @ApiProperty({ enum: ['testnet', 'production'] })
  environment!: string;

  @ApiProperty({ type: PortalChain })
  chain!: PortalChain;

  @ApiProperty({ description: 'Where clients send requests.', example: 'http://127.0.0.1:8080/v1' })
  base_url!: string;

  @ApiProperty({ type: [DevelopmentWallet] })
  development_wallets!: DevelopmentWallet[];

  @ApiProperty({ example: 'svc_test_', description: 'API keys begin with it.' })
  key_prefix!: string;
}
