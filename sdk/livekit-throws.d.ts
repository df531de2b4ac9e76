/** The declarations of livekit-client import this module, which it does not bring along: a type and the errors that go with it. */
declare module "@livekit/throws-transformer/throws" {
  export type Throws<Value, Failure> = Value;
}
