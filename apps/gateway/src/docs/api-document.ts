import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import type { OpenAPIObject } from '@nestjs/swagger';
import { ChatCompletionsModule } from '../chat-completions/chat-completions.module';
import { KeysModule } from '../keys/keys.module';
import { ModelsModule } from '../models/models.module';
import { PORTAL_MODULES } from '../portal-api/portal.module';
import { ReceiptsModule } from '../receipts/receipts.module';
import { SupplyModule } from '../supply/supply.module';
import { withExactBodies } from './exact-bodies';
import { withNullsOf } from './optional-fields';
import { withHeaders } from './reply-headers';

const OPENAPI_VERSION = '3.1.0';

/**
 * The description of `/v1` and `/portal/api`, made from the controllers and DTO classes. A model id holds a slash, so its route is a
 * wildcard, which has no name of its own.
 */
export function makeApiDocument(app: INestApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setOpenAPIVersion(OPENAPI_VERSION)
    .setTitle('svc')
    .setDescription(
      'A marketplace for chat completions: the widely used chat-completions shape, each request settled in USDC. Every reply, errors ' +
        'included, carries its request’s id as `x-svc-request-id` and `x-request-id`; one of 4xx, `x-should-retry: false`. Besides what ' +
        'stands with each operation, any request may be refused with `invalid_request` (400, 405 with `Allow`, 408, 414, 431), or meet a ' +
        'fault of the service: 500, `internal_error`.',
    )
    .setVersion('1')
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer('/')
    .addBearerAuth({
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'svc_test_… or svc_live_…',
      description: 'An API key.',
    })
    .addApiKey(
      {
        type: 'apiKey',
        in: 'header',
        name: 'Authorization',
        description:
          '`Wallet <access>`, for a provider: the base64url of `{"provider","issued_at","expires_at","signature"}`, signed by its ' +
          'wallet (EIP-712, `Access`; moments in Unix seconds).',
      },
      'wallet',
    )
    .addCookieAuth(
      'svc_portal_testnet',
      {
        type: 'apiKey',
        description:
          'A session of the portal, begun by signing in with a wallet. What changes something also needs `x-svc-csrf` and comes from the ' +
          'portal’s own origin. The cookie is named for its environment, with `__Host-` before it where the portal is served by https.',
      },
      'session',
    )
    .build();
  const document = SwaggerModule.createDocument(app, config, {
    include: [
      ChatCompletionsModule,
      ModelsModule,
      KeysModule,
      ReceiptsModule,
      SupplyModule,
      ...PORTAL_MODULES,
    ],
  });
  const paths = Object.entries(document.paths).map(([path, item]) => [path.replace('{path}', '{id}'), item]);
  return {
    ...withHeaders(withExactBodies(withNullsOf(document))),
    paths: Object.fromEntries(paths) as OpenAPIObject['paths'],
  };
}
