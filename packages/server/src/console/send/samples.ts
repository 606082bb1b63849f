import { curlSample, type SampleAccount, typescriptSample } from '../widgets/samples.ts'
import type { Typed } from './fields.ts'

/** What the form does, as code. */
export interface Samples {
  curl: string
  typescript: string
}

export function samplesOf(account: SampleAccount, { From, To, Content }: Typed, key: string): Samples {
  const message = {
    from: From,
    to: To === '' ? '233241234567' : To,
    text: Content === '' ? 'Hello' : Content,
  }
  return { curl: curlSample(account, { ...message, key }), typescript: typescriptSample(account, message) }
}
