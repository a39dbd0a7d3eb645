export const HTTP_URL = /^https?:\/\/[^\s/]+/;
export const HTTP_URL_RULE = 'must be an http or https URL';
