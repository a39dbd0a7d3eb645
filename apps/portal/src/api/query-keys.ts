/** First parts of the query keys, so that what changes something can name what it made stale. */
export const queryKeys = {
  config: ['config'],
  session: ['session'],
  sessions: ['sessions'],
  wallet: ['wallet'],
  credits: ['credits'],
  keys: ['keys'],
  usage: ['usage'],
  models: ['models'],
  market: ['market'],
  settlements: ['settlements'],
  provider: ['provider'],
  earnings: ['earnings'],
  operators: ['operators'],
} as const;
