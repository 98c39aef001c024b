package okhttp3;

/** The type by whose name results are recognised: the library is no dependency. */
public interface Call {}
