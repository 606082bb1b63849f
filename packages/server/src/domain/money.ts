export { formatAmount, type Micros, micros, parseAmount, toDecimal, ZERO } from '@wigwag/contract'
