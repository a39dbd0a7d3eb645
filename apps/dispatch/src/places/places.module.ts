import { Module } from '@nestjs/common';
import { OfferPlaces } from './offer-places.service';
import { PlaceKeeper } from './place-keeper.service';
import { PlacePeers } from './place-peers.service';
import { PlaceStore } from './place-store.service';
import { PlaceWishes } from './place-wishes.service';
import { PlacesMetrics } from './places.metrics';

/** How many requests are under way at each offer, over all instances of dispatch, and who may be next. */
@Module({
  providers: [OfferPlaces, PlaceKeeper, PlacePeers, PlaceStore, PlaceWishes, PlacesMetrics],
  exports: [OfferPlaces],
})
export class PlacesModule {}
