/** The JSON of a bulk that names a recipient, as it is written there, many times. */
export const bulkOf = (recipient: string, count: number) =>
  `{"From":"WIGWAG","Content":"x","Recipients":[${Array.from({ length: count }, () => recipient).join()}]}`
