export { type Smsc, type SmscOptions, type Submitted, startSmsc } from './smsc.ts'
