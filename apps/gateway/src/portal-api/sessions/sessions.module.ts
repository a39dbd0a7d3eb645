import { Global, Module } from '@nestjs/common';
import { AddressThrottlerGuard } from '../../http/limits/address-throttler.guard';
import { OperatorGuard } from './operator.guard';
import { PortalOrigins } from './portal-origins';
import { PortalSecrets } from './portal-secrets';
import { PortalSessionGuard } from './portal-session.guard';
import { SessionCookie } from './session-cookie';
import { SessionStore } from './session-store';
import { SessionsController } from './sessions.controller';
import { SessionsService } from './sessions.service';

/** Who is signed in; global, because every route of the portal asks. */
@Global()
@Module({
  controllers: [SessionsController],
  providers: [
    AddressThrottlerGuard,
    OperatorGuard,
    PortalOrigins,
    PortalSecrets,
    PortalSessionGuard,
    SessionCookie,
    SessionStore,
    SessionsService,
  ],
  exports: [
    AddressThrottlerGuard,
    OperatorGuard,
    PortalOrigins,
    PortalSessionGuard,
    SessionCookie,
    SessionsService,
  ],
})
export class SessionsModule {}
