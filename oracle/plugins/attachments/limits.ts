/** Limits for downloading, storing and showing attachments. */

/** One file as it arrives, bytes: Matrix servers accept 50 MB by default, more than a Worker can hold. */
export const FILE_BYTES = 25_000_000;
/** All files of a message together, bytes, including failed ones. Exceeding it ends the turn. */
export const MESSAGE_BYTES = 50_000_000;
/** One file that a client uploads, bytes: the limit of the largest kind, a PDF. */
export const UPLOAD_BYTES = 10_000_000;
/** Time limit of an upload, milliseconds, equal to a download's. */
export const UPLOAD_MS = 60_000;
/** Files of one user that are uploaded and not read yet: the maximum of one message. */
export const WAITING_UPLOADS = 10;
/** How long uploads are kept, hours, while the user writes the message. */
export const UPLOAD_HOURS = 24;
/** One download including redirects and retries, milliseconds. */
export const DOWNLOAD_MS = 60_000;
/** All downloads of a message, milliseconds: ten slow files must not take the whole turn. */
export const MESSAGE_MS = 120_000;
/** An event, whose content has a file's address, bytes. Matrix allows 65,536. */
export const EVENT_BYTES = 128 * 1024;
/** The text of one file, UTF-16 units; the rest is cut. */
export const TEXT_LENGTH = 50_000;
/** An image for a model, bytes: the maximum that model services accept. */
export const IMAGE_BYTES = 5_000_000;
/** All images in one model request, bytes. The request encodes them in base64, and an isolate has 128 MB for all of its chats. */
export const REQUEST_IMAGE_BYTES = 8_000_000;
/** An HTML page, bytes: the largest hand-written pages have 2 MB of markup. */
export const HTML_BYTES = 5_000_000;
/** A PDF, bytes. */
export const PDF_BYTES = 10_000_000;
/** Reading one downloaded file, milliseconds. */
export const READING_MS = 20_000;
/** Pages read of one PDF. */
export const PDF_PAGES = 500;
/**
 * Unpacked size of one packed part of a PDF, except images, and of all of them, bytes. The reader reads the contents of a page
 * without a pause: about 0.4 seconds for the slowest 1 MB.
 */
export const PDF_PART_BYTES = 1_000_000;
export const PDF_UNPACKED_BYTES = 64_000_000;
/**
 * Entries in the cross-reference of a PDF, one for each version of each object. The reader reads all of them, and may read all
 * objects, without a pause: a few tenths of a second.
 */
export const CROSS_REFERENCE_ENTRIES = 20_000;
/**
 * Text of all objects of a PDF, packed or not, without the data of streams, bytes. The reader may read all of it without a pause: 4
 * MB take about 0.12 seconds.
 */
export const OBJECT_TEXT_BYTES = 4_000_000;
/**
 * Forms of a PDF that are read without a pause, times the calls in its contents, bytes. Forms packed only by deflate have no such
 * limit: the reader pauses at each of them.
 */
export const CALLED_FORM_BYTES = 2_000_000;
/** Font files and tables of a PDF, unpacked, each as often as it is named, bytes. A page may load all of them without a pause. */
export const FONT_BYTES = 20_000_000;
/** Entries of all `Kids` lists of a PDF, which are its pages, names and fields. The reader walks the pages without a pause. */
export const LISTED_KIDS = 5_000;
/**
 * Text of all objects of a PDF together, as a multiple of its size: complete objects have less text than the file has bytes,
 * unterminated ones far more.
 */
export const OBJECT_BYTES_SHARE = 2;
/** Parts of a cross-reference: each incremental save of a PDF adds one or two. */
export const CROSS_REFERENCE_PARTS = 200;
/** How many of the newest turns keep their payloads in the prompt; older turns have notes. */
export const NEWEST_TURNS = 2;
/**
 * Files whose content is stored for one user; the oldest is deleted for a new one. Texts of 50,000 characters are at most 150 KB
 * each.
 */
export const KEPT_FILES = 100;
/** The share of a model's window for attachments' texts, and the approximate length of a token. */
export const PROMPT_SHARE = 1 / 4;
export const CHARACTERS_PER_TOKEN = 3;
