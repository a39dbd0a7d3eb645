export { createTestDatabase } from './test-database';
export type { TestDatabase } from './test-database';
export { testNats } from './test-nats';
export type { TestNats } from './test-nats';
export type { NatsUser } from '@svc/local-servers';
export { testChain } from './test-chain';
export type { TestAccount, TestChain } from './test-chain';
export { eventually } from './eventually';
export type { EventuallyOptions } from './eventually';
