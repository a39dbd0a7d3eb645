import { ApiProperty } from '@nestjs/swagger';
import { KeyCard } from '@svc/openai-api';
import type { PlaygroundState } from './playground-keys.service';

export class PlaygroundReply {
  @ApiProperty({ enum: ['playground'] })
  object!: 'playground';

  @ApiProperty({
    enum: ['unused', 'on', 'off'],
    description: '`unused`: the first request turns it on. `off`: its owner revoked or disabled its key.',
  })
  state!: PlaygroundState;

  @ApiProperty({
    oneOf: [{ $ref: '#/components/schemas/KeyCard' }, { type: 'null' }],
    description: 'The key that pays, as it is among the wallet’s keys; nobody knows a value of it.',
  })
  key!: KeyCard | null;
}
