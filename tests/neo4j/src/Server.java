import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import org.neo4j.configuration.GraphDatabaseSettings;
import org.neo4j.configuration.connectors.BoltConnector;
import org.neo4j.configuration.connectors.HttpConnector;
import org.neo4j.configuration.helpers.SocketAddress;
import org.neo4j.dbms.api.DatabaseManagementService;
import org.neo4j.dbms.api.DatabaseManagementServiceBuilder;
import org.neo4j.io.ByteUnit;

/** A Neo4j server on this machine alone, which ends with whoever holds the other end of its standard input. */
public final class Server {
    public static void main(String[] words) throws IOException {
        int port = words.length > 1 ? Integer.parseInt(words[1]) : findPort();
        SocketAddress address = new SocketAddress("127.0.0.1", port);
        DatabaseManagementService server = new DatabaseManagementServiceBuilder(Path.of(words[0]))
                .setConfig(BoltConnector.enabled, true)
                .setConfig(BoltConnector.listen_address, address)
                .setConfig(BoltConnector.advertised_address, address)
                .setConfig(HttpConnector.enabled, false)
                .setConfig(GraphDatabaseSettings.pagecache_memory, ByteUnit.mebiBytes(256))
                .setConfig(GraphDatabaseSettings.transaction_timeout, Duration.ofMinutes(5))
                .build();
        Runtime.getRuntime().addShutdownHook(new Thread(server::shutdown));
        System.out.println("bolt://127.0.0.1:" + port);
        while (System.in.read() >= 0) { // whoever is killed closes its end, too
        }
        System.exit(0);
    }

    private static int findPort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
