import { Module } from '@nestjs/common';
import { AddressGuard } from './address-guard.service';
import { EndpointOpener } from './endpoint-opener.service';
import { NameResolver } from './name-resolver.service';
import { ProviderClient } from './provider-client.service';

/** The way to providers. */
@Module({
  providers: [NameResolver, AddressGuard, EndpointOpener, ProviderClient],
  exports: [AddressGuard, EndpointOpener, ProviderClient],
})
export class ProviderClientModule {}
