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
import { Nonces } from './sign-in/nonces';
import { SignInController } from './sign-in/sign-in.controller';
import { SignInService } from './sign-in/sign-in.service';
import { UsedNonces } from './sign-in/used-nonces';
import { VisitorController } from './visitor.controller';

/** Who is signed in; global, because every route of the portal asks. */
@Global()
@Module({
  controllers: [SessionsController, SignInController, VisitorController],
  providers: [
    AddressThrottlerGuard,
    Nonces,
    OperatorGuard,
    PortalOrigins,
    PortalSecrets,
    PortalSessionGuard,
    SessionCookie,
    SessionStore,
    SessionsService,
    SignInService,
    UsedNonces,
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
