/** The ids of the fields with the credentials, which the page makes and its script reads. */
export const KEY_FIELDS = {
  clientId: 'key-client',
  clientSecret: 'key-secret',
  walletToken: 'key-wallet',
} as const
