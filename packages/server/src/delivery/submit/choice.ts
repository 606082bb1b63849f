import type { Micros } from '@wigwag/contract'
import type { OutgoingMessage } from '../../domain/message.ts'

/** Which carriers take a message, as the routes and the carriers' states say now. */
export interface Choice {
  /** The names of the message's carriers, the best first. */
  ways(message: OutgoingMessage): readonly string[]
  /** Whether a carrier takes messages now. */
  isUp(carrier: string): boolean
  /** Whether a carrier is paused or has no connection. One that only rests is neither up nor away. */
  isAway(carrier: string): boolean
  /** What the operator pays for a part of the message; undefined when its route does not say. */
  costOf(message: OutgoingMessage, carrier: string): Micros | undefined
}
