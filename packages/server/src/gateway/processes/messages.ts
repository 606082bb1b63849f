import type { Rendered, Snapshot } from '../../kernel/process/metrics.ts'

/** The variable by which the first process tells another one its number. Not a setting, so it has another prefix. */
export const NUMBER_VARIABLE = 'GATEWAY_PROCESS_NUMBER'

/** From the first process to a gateway. */
export type Down =
  | { kind: 'reload' }
  /** Asks for its numbers. */
  | { kind: 'collect'; id: number }
  /** The answer to `metrics`. */
  | { kind: 'metrics'; id: number; rendered: Rendered }

/** From a gateway to the first process. */
export type Up =
  /** It takes requests. */
  | { kind: 'ready'; greeting: Greeting }
  | { kind: 'collected'; id: number; snapshot: Snapshot }
  /** Asks for the metrics of all. */
  | { kind: 'metrics'; id: number }

/** Said at a start, once however many processes there are. */
export interface Greeting {
  banner: string
  /** The content of the banner, for programs. */
  facts: Readonly<Record<string, string | number | undefined>> & { url: string }
  warnings: readonly string[]
}
