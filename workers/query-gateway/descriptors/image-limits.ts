/** What is taken for a descriptor image, in the Worker and in the tools that bring one to it. */

/** The largest set of a public chain has 3 MB with its comments; reading costs some 100 ms a megabyte, at the first request. */
export const IMAGE_BYTES_MAX = 5_000_000;

/** The name of an operator's file among the assets of the deployment. No path of the Worker leads to it. */
export const IMAGE_FILE = "gateway-image.binpb";
