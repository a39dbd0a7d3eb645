import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';

const EXAMPLE_WALLET = '0x00000000000000000000000000000000000000aa';

/** Who is signed in, and what the page needs to write. */
export class SessionReply {
  @ApiProperty({ example: EXAMPLE_WALLET, description: 'In lower case.' })
  wallet!: string;

  @ApiProperty({ description: 'Names this session in `GET /portal/api/sessions`.' })
  session_id!: string;

  @ApiProperty()
  is_operator!: boolean;

  @ApiProperty({
    format: 'date-time',
    description: 'When it ends if nothing more is heard of it; each request puts that off, up to 12 hours.',
  })
  expires_at!: string;

  @ApiProperty({ description: 'Goes into the header `x-svc-csrf` of every request that changes something.' })
  csrf_token!: string;
}

/** Who asks, signed in or not. */
@ApiExtraModels(SessionReply)
export class VisitorReply {
  @ApiProperty({
    oneOf: [{ $ref: getSchemaPath(SessionReply) }, { type: 'null' }],
    description: 'null when nobody is signed in.',
  })
  session!: SessionReply | null;
}

/** One of a wallet's sessions. */
export class SessionCard {
  @ApiProperty()
  id!: string;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;

  @ApiProperty({ format: 'date-time', description: 'To the minute.' })
  last_seen_at!: string;

  @ApiProperty({ format: 'date-time' })
  expires_at!: string;

  @ApiProperty({ description: 'What the browser called itself at sign-in: untrusted text.' })
  user_agent!: string;

  @ApiProperty({ description: 'Whether it is the session that asks.' })
  current!: boolean;
}

export class SessionList {
  @ApiProperty({ type: [SessionCard], description: 'The newest first.' })
  data!: SessionCard[];
}
