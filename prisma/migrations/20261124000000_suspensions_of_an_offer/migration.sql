-- How often an offer was taken off the market within a day is asked while nobody else may touch it. Its trail has an entry for each price
-- that was ever signed.
CREATE INDEX audit_suspended_idx ON catalog.audit (subject, at) WHERE action = 'offer.suspended';
