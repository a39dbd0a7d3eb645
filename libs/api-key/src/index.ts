export { deriveApiKey, generateApiKey, hashApiKey, isWellFormedApiKey, lastFourOf } from './api-key';
