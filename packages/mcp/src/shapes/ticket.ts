import * as z from 'zod'

/** A ticket or a message's id, which are the same. Dots alone would lead to another address. */
export const ticket = z
  .string()
  .max(64)
  .regex(/[^.]/, 'Expected a ticket, such as 01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f')
