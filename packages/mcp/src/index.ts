export { toolInputs, wireNames } from './generated/tools.ts'
