import { openStandIn } from './stand-in.ts'
import { describeSignIn } from './suite.ts'

describeSignIn('the stand-in', openStandIn)
