#include <opus/opus.h>

// opus_encoder_ctl has a variable number of arguments, so that Swift cannot call it.

static inline int ptt_opus_set_bitrate(OpusEncoder *encoder, opus_int32 bits_per_second) {
  return opus_encoder_ctl(encoder, OPUS_SET_BITRATE(bits_per_second));
}

// Packets of one size: sizes that follow the voice tell an eavesdropper what is said
// (https://doi.org/10.1109/SP.2008.21).
static inline int ptt_opus_set_constant_bitrate(OpusEncoder *encoder) {
  return opus_encoder_ctl(encoder, OPUS_SET_VBR(0));
}

// Each packet says again, with less detail, what the one before said; so many of 100 are expected to be lost.
static inline int ptt_opus_set_redundancy(OpusEncoder *encoder, opus_int32 percent) {
  int error = opus_encoder_ctl(encoder, OPUS_SET_INBAND_FEC(1));
  return error ? error : opus_encoder_ctl(encoder, OPUS_SET_PACKET_LOSS_PERC(percent));
}

static inline int ptt_opus_reset(OpusEncoder *encoder) { return opus_encoder_ctl(encoder, OPUS_RESET_STATE); }
